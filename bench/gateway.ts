/**
 * `npm run bench:gateway -- [seconds] [--beside <checkout>] [--rounds 5]`: calls through Kherad with auth, hold, settlement, receipt and
 * rollup (embedded PostgreSQL, durable commits), beside another checkout of it, `@portkey-ai/gateway` and a bare proxy, none of which but
 * the checkout keeps money, in front of one upstream that answers at once. Sides alternate in rounds, each for some seconds, so that a
 * slow minute of the machine meets all of them; a separate process generates the load. Prints tables for bench/README.md.
 */
import { parseArgs } from 'node:util'
import { type Measured, report } from './gateway-report.ts'
import { type Side, type Sides, startSides } from './gateway-sides.ts'
import { cpuSeconds, databaseCpuSeconds, loadFrom, machine, temporaryFolder } from './stage.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string' }, rounds: { type: 'string', default: '5' } },
})
const seconds = Number(positionals[0] ?? 2.5)
const rounds = Number(values.rounds)
const warmUpSeconds = Math.min(3, seconds)

interface Phase {
  name: string
  connections: number
  streams: boolean
  sides: Side[]
}

await using stack = new AsyncDisposableStack()
const sides = await startSides(await temporaryFolder(stack), values.beside, stack)
const measured: Measured = {}
for (const phase of phasesOf(sides)) {
  measured[phase.name] = {}
  // Each side is warmed up by what it is measured with, since JavaScript compiles hot code.
  if (phase.connections === 32)
    for (const side of phase.sides) await loadFrom(aim(side, phase, warmUpSeconds))
  for (let round = 0; round < rounds; round++) await measureRound(phase, round)
}
console.log(`${machine()}; ${rounds} rounds of ${seconds} s a side and line\n`)
report(sides, measured)

function phasesOf({ upstream, proxy, peer, own, before }: Sides): Phase[] {
  const kherads = before ? [own, before] : [own]
  const plain = [...kherads.map((versions) => versions.plain), peer, proxy, upstream]
  const variants = kherads.flatMap((versions) => Object.values(versions.variants))
  return [
    { name: '32', connections: 32, streams: false, sides: [...plain, ...variants] },
    { name: '1', connections: 1, streams: false, sides: plain },
    { name: '256', connections: 256, streams: false, sides: plain },
    { name: 'streams', connections: 32, streams: true, sides: plain },
  ]
}

/** Every other round goes backwards, so that no side always follows the same one. */
async function measureRound(phase: Phase, round: number): Promise<void> {
  process.stderr.write(`${phase.name}: round ${round + 1} of ${rounds}\n`)
  for (const side of round % 2 === 0 ? phase.sides : phase.sides.toReversed()) {
    const cpu = cpuOf(side)
    const { perSecond, p50, p99, failures, answered } = await loadFrom(aim(side, phase, seconds))
    const after = cpuOf(side)
    const each = (name: 'server' | 'database'): number => ((after[name] - cpu[name]) * 1e6) / answered
    const sample = { perSecond, p50, p99, failures, server: each('server'), database: each('database') }
    const bySide = measured[phase.name]!
    bySide[side.name] = [...(bySide[side.name] ?? []), sample]
  }
}

function cpuOf({ pid }: Side): { server: number; database: number } {
  if (pid === undefined) return { server: 0, database: 0 }
  return { server: cpuSeconds(pid), database: databaseCpuSeconds(pid) }
}

function aim({ url, headers, model }: Side, { streams, connections }: Phase, forSeconds: number) {
  const messages = [{ role: 'user', content: 'Say something short about the sea.' }]
  const body = JSON.stringify({ model, max_tokens: 300, ...(streams && { stream: true }), messages })
  return { url, headers, body, connections, seconds: forSeconds }
}
