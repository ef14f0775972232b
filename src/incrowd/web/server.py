"""incrowd serve: a server on this machine alone, and the link that opens it once."""

import logging
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

from incrowd.errors import MissingExtra, ParameterError, check_whole

HOST = "127.0.0.1"


def serve(folder: Path, *, port: int, browser: bool, upload_mb: int, say: Callable[[str], None]) -> None:
    """Answer requests until somebody stops the server; jobs that run go on without it.

    Args:
        folder: Folder whose files may be chosen.
        port: Port on this machine; 0 takes a free one.
        browser: Whether to open the page.
        upload_mb: Largest file that the page takes.
        say: Prints a line.
    """
    try:
        import uvicorn

        from incrowd.web.app import studio_app
    except ModuleNotFoundError as error:
        raise MissingExtra("the studio needs the extra web; install it with: pip install 'incrowd[web]'.") from error
    from incrowd.web.studio import Studio

    check_whole(upload_mb=upload_mb)
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {folder}; give the folder of your data.")
    with _listening(port) as listener:
        app = studio_app(Studio.of(folder, upload_mb), listener.getsockname()[1], say)
        say(f"The studio of {folder.resolve().name or '/'} is at this link, which works once:\n  {app.link}")
        say("Nothing leaves this machine. Stop it with Ctrl+C; runs go on, and the studio shows them next time.")
        if browser:
            webbrowser.open(app.link)
        # What uvicorn logs of an error may hold values of the data, so it logs nothing, and Python not in its place.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)
        settings = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, lifespan="on", ws="none")
        uvicorn.Server(settings).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    if not 0 <= port <= 65_535:
        raise ParameterError(f"the port must be in [0, 65535], got {port}.")
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # whoever follows the link at once waits instead of being refused
    except OSError:
        listener.close()
        raise ParameterError(
            f"port {port} cannot be used, most likely because it is taken; give another --port."
        ) from None
    return listener
