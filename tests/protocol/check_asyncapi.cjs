const { Parser } = require("@asyncapi/parser");
const text = require("node:fs").readFileSync(0, "utf8");

new Parser().parse(text).then(({ document, diagnostics }) => {
  const problems = diagnostics.filter(({ code }) => code !== "asyncapi-latest-version");
  const messages = document === undefined ? 0 : document.components().messages().all().length;
  process.stdout.write(JSON.stringify({ problems, messages }));
});
