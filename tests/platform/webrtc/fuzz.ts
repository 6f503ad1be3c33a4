/**
 * Fuzzes the endpoint of WebRTC: `node tests/platform/webrtc/fuzz.ts --minutes 120 --seed 12345 --out figures.json`. A case of a seed is drawn by its
 * number alone: `--seed 12345 --case 678` runs it by itself, with `--block` behind those that may have shared its connection. `--record` writes the
 * corpus anew. It ends with 1 where anything was found; the inputs are in `crashes` of the corpus.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { corpusFolder, writeCrash } from './fuzz/corpus.ts'
import type { Finding } from './fuzz/journal.ts'
import { recordCorpus } from './fuzz/record.ts'
import { lineOf, markdownOf, reportOf } from './fuzz/report.ts'
import { Supervisor } from './fuzz/supervisor.ts'
import { blockCases, targetOf } from './fuzz/targets.ts'

/** Of findings that look alike so many are written down. */
const maxAlike = 5
const lineMs = 60_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    corpus: { type: 'string', default: corpusFolder },
    out: { type: 'string' },
    case: { type: 'string' },
    from: { type: 'string', default: '0' },
    block: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})

if (values.record) {
  console.log(`${await recordCorpus(values.corpus)} files are in ${values.corpus}`)
  process.exit()
}

const seed = Number(values.seed)
const findings = new Map<string, number>()

/** Findings are alike if they have one kind, target and place, whatever the numbers in their words. */
function found(finding: Finding): void {
  const { kind, target, detail, stack = '', number } = finding
  const place =
    stack
      .split('\n')
      .find((line) => line.includes('    at '))
      ?.trim() ?? ''
  const what = `${kind} of ${target}: ${detail.replaceAll(/[\d.]+/g, '#')} ${place}`
  const times = (findings.get(what) ?? 0) + 1
  findings.set(what, times)
  if (times > maxAlike) return
  const file = writeCrash(values.corpus, finding)
  console.log(`case ${number} of seed ${seed}: ${kind} of ${target}: ${detail}\n${stack}\n  ${file}`)
}

/** Where a case is given, that one, behind the others of its block if so ordered; else all from the first. */
function range(): { from: number; to: number } {
  if (values.case === undefined) return { from: Number(values.from), to: Number.MAX_SAFE_INTEGER }
  const number = Number(values.case)
  console.log(`case ${number} of seed ${seed} belongs to ${targetOf(number)}`)
  return { from: values.block ? number - (number % blockCases) : number, to: number + 1 }
}

const { from, to } = range()
const supervisor = new Supervisor({ seed, corpus: values.corpus, from, to, found })
const beganMs = performance.now()
const seconds = (): number => (performance.now() - beganMs) / 1_000
console.log(`seed ${seed}`)
const lines = setInterval(() => console.log(lineOf(seconds(), supervisor.stats)), lineMs)
const end = setTimeout(() => supervisor.stop(), Number(values.minutes) * 60_000)
process.once('SIGINT', () => supervisor.stop())
const isWhole = await supervisor.run()
clearInterval(lines)
clearTimeout(end)
const report = reportOf({ seed, from, seconds: seconds() }, supervisor.stats, findings)
console.log(`${lineOf(seconds(), supervisor.stats)}\n\n${markdownOf(report)}`)
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`)
if (!isWhole) console.log('Too many threads had to be ended.')
process.exit(findings.size === 0 && isWhole ? 0 : 1)
