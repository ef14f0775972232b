// Search from disk: a page that was opened as a file may start no worker, so its script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.loaded = new Promise(resolve => { this.inside.ready = resolve; });
      this.inside.document.open();
      this.inside.document.write(
        "<body><script>" +
        "postMessage = parent.postMessage.bind(parent);" +
        "importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise(done => {" +
        "const script = document.createElement('script'); script.src = url; script.onload = done;" +
        "document.body.appendChild(script); })), Promise.resolve());" +
        "<\/script><script src='" + url + "' onload='ready()'><\/script></body>");
      this.inside.document.close();
      addEventListener("message", event => {
        if (event.source !== this.inside) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        this.onmessage?.(event);
      });
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
