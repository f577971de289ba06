/** Where unsaid words are kept: one window keeps them for good, further ones until they are closed. */
export async function keptFor(whom) {
  const store = (await isFirst(whom)) ? localStorage : sessionStorage;
  return {
    getItem: (name) => store.getItem(`${whom} ${name}`),
    setItem: (name, value) => store.setItem(`${whom} ${name}`, value),
  };
}

/** The first window holds a lock while it lives; one that reloads waits for its own to be let go of. */
const isFirst = (whom) =>
  new Promise((resolve) => {
    const hold = () => new Promise(() => resolve((sessionStorage.first = true)));
    const signal = AbortSignal.timeout(sessionStorage.first ? 5000 : 500);
    (navigator.locks?.request(whom, { signal }, hold) ?? Promise.reject()).catch(() => resolve(false));
  });
