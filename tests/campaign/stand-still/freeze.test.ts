import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openFrozenTree, SignalledTree, type Tree } from '../../suite/freeze.ts'
import type { Gap } from '../../suite/stand-stills.ts'

/** Says that it is there, and at the end of its input when it had no time for longer than half a second, for itself and for its child. */
const program = `
  const { spawn } = require('node:child_process')
  const pauses = []
  let last = Date.now()
  setInterval(() => {
    const now = Date.now()
    if (now - last > 500) pauses.push({ fromMs: last, toMs: now })
    last = now
  }, 20)
  const isChild = process.argv[1] === 'child'
  const said = isChild ? undefined : spawn(process.execPath, ['-e', process.env.PROGRAM, 'child'], { stdio: ['pipe', 'inherit', 'inherit'] })
  if (isChild) console.log('here')
  process.stdin.on('end', () => {
    console.log(JSON.stringify(pauses))
    said?.stdin.end()
    process.exit()
  }).resume()`

test.for<[string, () => Tree | undefined]>([
  ['the cgroup freezer', openFrozenTree],
  ['SIGSTOP', () => new SignalledTree()],
])(
  '%s stops a process and its child for the whole of its time, and lets both go on',
  async ([by, open], { skip }) => {
    const tree = open()
    if (tree === undefined) return skip('this system has no freezer of cgroup v1, or keeps it to itself')
    await using _tree = tree
    expect(tree.by).toBe(by)
    const [command, ...words] = [...tree.under, process.execPath, '-e', program]
    const child = spawn(command!, words, {
      env: { ...process.env, PROGRAM: program },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    if (tree.by === 'SIGSTOP') tree.add(child.pid!)
    let out = ''
    child.stdout.on('data', (text) => {
      out += text
    })
    await once(child.stdout, 'data')
    const stoppedMs = Date.now()
    await tree.stopFor(1_000)
    const continuedMs = Date.now()
    child.stdin.end()
    await once(child, 'close')
    const each = out.split('\n').flatMap((line): Gap[][] => (line.startsWith('[') ? [JSON.parse(line)] : []))
    expect(each, out).toHaveLength(2)
    for (const pauses of each) {
      const during = pauses.filter(({ fromMs, toMs }) => fromMs < continuedMs && toMs > stoppedMs)
      const longest = Math.max(...during.map(({ fromMs, toMs }) => toMs - fromMs))
      expect(longest, JSON.stringify(pauses)).toBeGreaterThan(900)
    }
  },
)
