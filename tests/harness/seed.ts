/**
 * The seed of every test that draws by chance. It is the commit's: the same commit draws the same everywhere, so that what failed can be seen
 * again and what passed here passes there; the next commit draws anew. `npm run simulate` draws by the time of day, for as long as one likes.
 */
import { execFileSync } from 'node:child_process'

/** `KHERAD_TEST_SEED` where it is set, else of the tree that is committed, else (no git, no repository) of the time of day. Below 2^31. */
export const testSeed = Number(process.env['KHERAD_TEST_SEED'] ?? ofCommit() ?? Date.now() % 2 ** 31)

/**
 * Every fourth of so many places in a text, and its first two and its last: which fourth is decided by the commit, so that four try all. For tests
 * that ask a server once for each place.
 */
export const somePlaces = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => at).filter(
    (at) => at < 2 || at === count - 1 || at % 4 === testSeed % 4,
  )

function ofCommit(): number | undefined {
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return Number.parseInt(tree.slice(0, 8), 16) >>> 1
  } catch {
    return undefined
  }
}
