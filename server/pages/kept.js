/** Where unsaid words are kept: by one window for good, by others until they are closed. */
export async function keptFor(whom) {
  const store = (await isFirst(whom)) ? localStorage : sessionStorage;
  return {
    getItem: (name) => store.getItem(`${whom} ${name}`),
    setItem: (name, value) => store.setItem(`${whom} ${name}`, value),
  };
}

/** The first window holds a lock while it lives; one that reloads waits for its own. */
const isFirst = (whom) =>
  new Promise((resolve) => {
    const hold = (held) => new Promise(() => resolve(held && (sessionStorage.first = true)));
    const how = sessionStorage.first ? { signal: AbortSignal.timeout(5000) } : { ifAvailable: true };
    (navigator.locks?.request(whom, how, hold) ?? Promise.reject()).catch(() => resolve(false));
  });
