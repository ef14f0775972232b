from incrowd.read.parts import of_traces


def parts(source, *, time_zone=None, **reading):
    return of_traces(source)
