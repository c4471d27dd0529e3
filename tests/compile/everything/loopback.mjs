// Loaded before the server: keeps it on 127.0.0.1 and prints the port that it was given.
import net from "node:net";

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (port, ready) {
  return listen.call(this, Number(port), "127.0.0.1", () => {
    ready?.();
    console.log(`listening on ${this.address().port}`);
  });
};
