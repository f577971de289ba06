// A client of its own, outside any page: says one thing, prints how it was answered, and says another.
import { Fireside } from "../../server/pages/fireside.js";

const talk = new Fireside({ url: process.argv[2], hello: { companion: "coach", user: "ann" } });
let deltas = "";
let answers = 0;
talk
  .on("response.delta", ({ text }) => (deltas += text))
  .on("response.done", ({ text, status }) => {
    console.log(JSON.stringify({ status, whole: text === deltas, session: talk.welcome.session }));
    deltas = "";
    answers += 1;
    if (answers === 2) return talk.stop();
    talk.send("And once more.");
  });
talk.start();
talk.send("Good morning.");
setTimeout(() => process.exit(1), 30_000).unref();
