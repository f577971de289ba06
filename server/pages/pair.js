import { Fireside } from "./fireside.js";
import { part, tell } from "./me_parts.js";

const REFUSED = 4502;
const PATIENCE = 20_000;

// The code comes behind the #, which no server is sent and no log holds; and it does not stay in the address.
part("code").value = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, "", location.pathname);
part("paired").hidden = !localStorage.token;
(part("code").value ? part("name") : part("code")).focus();

part("claim").onsubmit = async (event) => {
  event.preventDefault();
  const button = part("claim").querySelector("button");
  button.disabled = true;
  tell("One moment.", { stays: true });
  try {
    const claimed = await claim(part("code").value.trim(), part("name").value.trim() || undefined);
    localStorage.token = claimed.token;
    shown(claimed);
  } catch (words) {
    tell(typeof words === "string" ? words : "That did not work just now. Please try once more.", { stays: true });
  }
  button.disabled = false;
};

/** Greet with the code, become a device, and leave. */
function claim(code, name) {
  const url = `${location.origin.replace("http", "ws")}/ws`;
  const talk = new Fireside({ url, hello: { token: code, conversation: null } });
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      clearTimeout(late);
      settle(value);
      if (talk.state !== "ended") talk.stop();
    };
    const late = setTimeout(() => end(reject, "Nobody answers. Is the server running?"), PATIENCE);
    talk.on("welcome", ({ role }) => {
      if (role !== "pairing") return end(reject, "This is no code. Please look at it once more.");
      talk.command("device.claim", { name }).then((claimed) => end(resolve, claimed), () => end(reject, OVER));
    });
    talk.on("state", ({ state, code: why }) => state === "ended" && why === REFUSED && end(reject, OVER));
    talk.start();
  });
}

const OVER = "This code does not hold, or not any more. Please ask for a new one, and wait a minute after several tries.";

function shown({ name, role, user }) {
  part("claim").hidden = part("paired").hidden = true;
  part("done").hidden = false;
  const whose = user ? (role === "person" ? `It is ${user}'s own.` : `${user} talks here.`) : "Everybody who lives here can talk on it, each at an address of their own that ends in /?user= and their name. Without a name all who talk there are taken for one person.";
  part("whose").textContent = `It is called ${name}. ${whose}`;
  tell("");
  part("done-title").focus();
}
