import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { draw } from './mutations/draw.ts'
import { mutations } from './mutations/list.ts'
import type { Mutation } from './mutations/mutation.ts'
import { type MutationRun, runMutations } from './mutations/run.ts'

/**
 * `npm run mutate`: breaks the code in each way of the list, in a copy of the checkout, and fails where the named test file does not turn
 * red. `npm run mutate -- 12 ledger` runs the twelfth and those in which the text stands; `--in <test file>` asks other files than the named
 * ones, to find the one that notices; `--draw 40 --seed 7` prints what the seed draws and runs nothing.
 */
const checkout = path.resolve(import.meta.dirname, '..')
// Tests that draw by chance draw the same for every commit, so that what turned red once does so again.
process.env['KHERAD_TEST_SEED'] ??= '1'
// With an exit the copy of the checkout is deleted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    in: { type: 'string', multiple: true },
    draw: { type: 'string' },
    seed: { type: 'string', default: '1' },
    list: { type: 'boolean' },
  },
})

if (values.draw) printDrawn(Number(values.seed), Number(values.draw))
else if (values.list) for (const mutation of chosen()) console.log(titleOf(mutation))
else await run()

function printDrawn(seed: number, count: number): void {
  const files = globSync('src/**/*.ts', { cwd: checkout })
    .map((file) => file.replaceAll(path.sep, '/'))
    // Sentences, tests, and the page's own code, which has another compiler.
    .filter((file) => !/\.test\.ts$|\/phrases\.ts$|\/browser\//.test(file))
    .toSorted()
  const sources = files.map((file) => ({ file, code: readFileSync(path.join(checkout, file), 'utf8') }))
  const drawn = draw(sources, seed, count)
  console.log(JSON.stringify({ seed, files: files.length, drawn }, undefined, 2))
}

function chosen(): Mutation[] {
  const isChosen = (mutation: Mutation, at: number): boolean =>
    !positionals.length ||
    positionals.some((wanted) =>
      /^\d+$/.test(wanted)
        ? Number(wanted) === at + 1
        : [mutation.file, mutation.breaks, mutation.test].some((text) => text.includes(wanted)),
    )
  return mutations.filter(isChosen)
}

async function run(): Promise<void> {
  const asked = values.in
    ? chosen().flatMap((mutation) => values.in!.map((test) => ({ ...mutation, test })))
    : chosen()
  const failed = await runMutations(checkout, asked, print)
  console.log(`${asked.length - failed.length} of ${asked.length} mutations are red`)
  // Set in either case: Vitest, which ran here, leaves 1 wherever a test failed, which is what every mutation is for.
  process.exitCode = failed.length || !asked.length ? 1 : 0
}

function print({ mutation, outcome, seconds }: MutationRun): void {
  const said = {
    red: (by: string) => `red in ${seconds.toFixed(1)} s: ${titleOf(mutation)}\n    by: ${by}`,
    green: () => `NOT RED after ${seconds.toFixed(1)} s: ${titleOf(mutation)}`,
    unfit: (why: string) => `UNFIT: ${titleOf(mutation)}\n    ${why}`,
  }
  if (outcome.kind === 'red') console.log(said.red(outcome.by))
  else if (outcome.kind === 'green') console.log(said.green())
  else console.log(said.unfit(outcome.why))
}

function titleOf(mutation: Mutation): string {
  const { file, breaks, test } = mutation
  const number =
    mutations.findIndex(
      (one) => one.file === file && one.find === mutation.find && one.replace === mutation.replace,
    ) + 1
  return `${number}. ${breaks} (${file}, ${test})`
}
