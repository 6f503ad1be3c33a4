/** Opens one recording as a server does and tells what it found, and how much memory that took. Started by four-hours.test.ts. */
import { readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { openRecordings, pausesOf } from '#core/sound'
import { openLog } from '#platform/log'
import { openSpool } from '#platform/spool'

const [file, bytes, folder, ffmpeg] = process.argv.slice(2) as [string, string, string, string?]
const spool = await openSpool({ folder, maxBytes: 2 ** 31 })
/** For the bench: the time of what runs within bubblewrap is not counted for who started it. */
const bare = {
  tool: 'none' as const,
  withoutNetwork: false,
  dropsUser: undefined,
  prefix: () => [],
  give: async () => {},
}
const recordings = openRecordings(
  { log: openLog('silent'), spool, setting: { places: ffmpeg ? [ffmpeg] : [] } },
  ffmpeg ? async () => bare : undefined,
)
const requester = { accountId: 'somebody', signal: new AbortController().signal }
const source = { path: file, bytes: Number(bytes) }

/** Ticks of a hundredth of a second, of user and system time of children that have ended. */
function childrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]!.split(' ')
  return 10 * (Number(fields[13]) + Number(fields[14]))
}

/** Of this program: what `resourceUsage` says begins with the memory of whoever started it. */
const maxMegabytes = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]) / 1_024

let maxMs = 0
let isOver = false
/** Processor time of one turn of the loop: that of other processes does not count. */
async function watch(): Promise<void> {
  let before = process.threadCpuUsage()
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    const { user, system } = process.threadCpuUsage(before)
    maxMs = Math.max(maxMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
    await after(1)
  }
}
const watching = watch()

const startedMs = performance.now()
await using recording = await recordings.open(source, requester, { maxSeconds: 5 * 3_600 })
const openMs = performance.now() - startedMs
const { measured } = recording
const levels = measured.isDecodable ? await recording.levels() : undefined
const last = { from: measured.seconds - 60, to: measured.seconds }
const wav = measured.isDecodable ? await recording.wav(last) : undefined
const packets = await recording.packets(last)
isOver = true
await watching
const usage = process.resourceUsage()
const answer = {
  measured,
  pauses: levels && pausesOf(levels, 500).map(({ start, end }) => [start / levels.rate, end / levels.rate]),
  wavSeconds: wav?.seconds,
  packets: packets && { start: packets.start, end: packets.end, bytes: packets.bytes.length },
  openMs,
  allMs: performance.now() - startedMs,
  cpuMs: (usage.userCPUTime + usage.systemCPUTime) / 1_000,
  // Of processes that have ended: Linux counts them for their parent.
  childrenMs: childrenMs(),
  maxRssMb: maxMegabytes(),
  maxMs,
}
process.stdout.write(JSON.stringify(answer))
