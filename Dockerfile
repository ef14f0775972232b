# incrowd without rights, network or a root file system that can be written:
#   docker run --rm --read-only --tmpfs /tmp --network none --user "$(id -u)" -v "$PWD:/data" incrowd gate
FROM python:3.12-slim

COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
COPY scripts/container /opt/incrowd/container
RUN python -m venv /opt/incrowd/env
RUN /opt/incrowd/env/bin/pip install --no-cache-dir --disable-pip-version-check '/src[dp,excel,geo,sql]'

# Kernels compile here, once; the container copies them to where it may write, because numba keeps them nowhere else.
RUN NUMBA_CACHE_DIR=/opt/incrowd/kernels MPLCONFIGDIR=/opt/incrowd/drawing /opt/incrowd/env/bin/incrowd demo --users 40 --towers 12 --days 3 --output /opt/incrowd/demo
RUN rm -r /opt/incrowd/demo && chmod -R a+rX /opt/incrowd

ENV HOME=/tmp NUMBA_CACHE_DIR=/tmp/kernels MPLCONFIGDIR=/tmp/drawing PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["/opt/incrowd/container"]
CMD ["--help"]
