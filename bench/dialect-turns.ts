/**
 * `bench:dialects -- --beside <checkout>`: this code and another checkout in turn, each turn a process of its own which runs its own
 * checkout's bench/dialects.ts, since what is called inside a process may differ between them.
 */
import { execFileSync } from 'node:child_process'
import { commitOf, root } from './stage.ts'
import { median, row, table } from './table.ts'

const turns = 5
/** Microseconds of CPU per event: the median of a turn's answers, by `from → to`. */
type Figures = Map<string, number>

export function compareInTurn(beside: string, rounds: number): void {
  const own: Figures[] = []
  const before: Figures[] = []
  for (let turn = 0; turn < turns; turn++) {
    process.stderr.write(`turn ${turn + 1} of ${turns}\n`)
    before.push(figuresOf(beside, rounds))
    own.push(figuresOf(root, rounds))
  }
  table(['µs of CPU per event', `before, ${commitOf(beside)}`, 'this code (turns)', '×', 'target', ''])
  for (const pair of own[0]!.keys()) {
    const of = (figures: Figures[]): number[] => figures.map((turn) => turn.get(pair)!)
    const now = of(own)
    const ratio = median(now.map((figure, turn) => figure / of(before)[turn]!))
    const [from, to] = pair.split(' → ')
    const most = from === to ? 3 : 8
    row([
      pair,
      median(of(before)).toFixed(2),
      `${median(now).toFixed(2)} (${Math.min(...now).toFixed(2)} … ${Math.max(...now).toFixed(2)})`,
      ratio.toFixed(2),
      `≤ ${most}`,
      median(now) <= most ? 'met' : 'missed',
    ])
  }
}

function figuresOf(checkout: string, rounds: number): Figures {
  const text = execFileSync(process.execPath, ['bench/dialects.ts', String(rounds)], {
    cwd: checkout,
    encoding: 'utf8',
  })
  const rows = text.matchAll(/^ *(\w+) → (\w+) +-?[\d.]+ +(-?[\d.]+) /gm)
  return new Map([...rows].map(([, from, to, middle]) => [`${from} → ${to}`, Number(middle)]))
}
