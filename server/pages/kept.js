/**
 * Where what is not yet said is kept. One window of this browser keeps it for good, so that words survive a
 * power cut; further windows keep theirs until they are closed.
 */
export async function keptFor(whom) {
  const store = (await isFirst(whom)) ? localStorage : sessionStorage;
  return {
    getItem: (name) => store.getItem(`${whom} ${name}`),
    setItem: (name, value) => store.setItem(`${whom} ${name}`, value),
  };
}

/** The first window holds a lock for as long as it lives; one that is just reloading lets go of it. */
const isFirst = (whom) =>
  new Promise((resolve) => {
    const hold = () => new Promise(() => resolve(true));
    const signal = AbortSignal.timeout(500);
    (navigator.locks?.request(whom, { signal }, hold) ?? Promise.reject()).catch(() => resolve(false));
  });
