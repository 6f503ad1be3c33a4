/**
 * `npm run simulate -- --minutes 30` runs worlds of the simulator (tests/simulation/simulate.ts) until one breaks its word;
 * `--seed 42` runs the world of that seed alone and prints its trace. `--from` names the first seed, `--worlds` how many.
 */
import { parseArgs } from 'node:util'
import { type Outcome, simulate } from '../tests/simulation/simulate.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    worlds: { type: 'string', default: String(Number.MAX_SAFE_INTEGER) },
    from: { type: 'string', default: String(Date.now() % 2 ** 31) },
    seed: { type: 'string' },
  },
})

if (values.seed !== undefined) {
  const outcome = await simulate(Number(values.seed))
  console.log(outcome.trace.join('\n'))
  report(outcome)
  process.exit(outcome.violations.length === 0 ? 0 : 1)
}

const first = Number(values.from)
const endMs = Date.now() + Number(values.minutes) * 60_000
const startMs = Date.now()
const counts: Record<string, number> = {}
let worlds = 0
let steps = 0
console.log(`first seed: ${first}`)
for (; worlds < Number(values.worlds) && Date.now() < endMs; worlds++) {
  const outcome = await simulate(first + worlds)
  steps += outcome.steps
  for (const [what, times] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + times
  if (outcome.violations.length > 0) {
    console.log(outcome.trace.slice(-200).join('\n'))
    report(outcome)
    console.log(`npm run simulate -- --seed ${outcome.seed}`)
    process.exitCode = 1
    break
  }
  if (worlds % 500 === 499) console.log(`${worlds + 1} worlds, ${rate(worlds + 1)} a second`)
}
console.log(`${worlds} worlds kept their word, ${steps} steps, ${rate(worlds)} worlds a second`)
console.log(
  Object.entries(counts)
    .sort()
    .map(([what, times]) => `${what} ${times}`)
    .join(' · '),
)
process.exit()

function rate(done: number): string {
  return (done / ((Date.now() - startMs) / 1000)).toFixed(1)
}

function report({ seed, violations, hash, steps: taken }: Outcome): void {
  console.log(`seed ${seed}: ${taken} steps, trace ${hash.slice(0, 16)}`)
  for (const violation of violations) console.log(`  ${violation}`)
}
