/* The whole test library: name a test, compare, run. */

const tests = [];

export const test = (name, body) => tests.push({ name, body });

export function equal(found, wanted) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`found ${a}, wanted ${b}`);
}

export function ok(claim, what) {
  if (!claim) throw new Error(what);
}

export async function run() {
  const results = [];
  for (const { name, body } of tests) {
    try {
      await body();
      results.push({ name, fault: null });
    } catch (error) {
      results.push({ name, fault: String(error.stack ?? error) });
    }
  }
  return results;
}
