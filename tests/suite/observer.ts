/**
 * A program of its own that notes when the machine gave nobody time: it sleeps for 20 ms, over and over, and whoever wakes it late had no time
 * to give. Words: the lateness in milliseconds from which on it is a gap, and `real-time` where it was started so. To standard output it
 * writes a line of JSON for its priority, for each gap, and for each line that it reads; it ends with its standard input.
 *
 * It sleeps in `Atomics.wait`, which costs half as much as a timer of the event loop (3.3 in place of 6.3 ms of processor time a second), and
 * turns the event loop once a second.
 */
import { writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { type Instant, Lateness } from './lateness.ts'
import type { Priority } from './stand-stills.ts'

const stepMs = 20
/** Wakes from one turn of the event loop to the next. */
const wakesPerTurn = 50

const say = (what: object): void => void writeSync(1, `${JSON.stringify(what)}\n`)
const now = (): Instant => ({ steadyMs: performance.now(), wallMs: Date.now() })

/** A niceness of −10 where it is permitted. */
function raised(): Priority {
  try {
    setPriority(-10)
    return 'nice'
  } catch {
    return 'plain'
  }
}

const [longerThanMs, isRealTime] = process.argv.slice(2)
let hasEnded = false
/** Lines that were read, and those that were answered: after the next wake, which may be the one that finds a gap. */
let [asked, answered] = [0, 0]
process.stdin.on('data', (bytes: Buffer) => {
  for (const byte of bytes) if (byte === 0x0a) asked++
})
process.stdin.on('end', () => {
  hasEnded = true
})

say({ priority: isRealTime === 'real-time' ? 'real-time' : raised() })
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4))
const lateness = new Lateness(now(), stepMs, Number(longerThanMs))
for (let wakes = 1; !hasEnded; wakes++) {
  Atomics.wait(nobodyWakes, 0, 0, Math.max(0, lateness.dueMs - performance.now()))
  const gap = lateness.wake(now())
  if (gap) say(gap)
  if (answered < asked) {
    answered = asked
    say({ asked })
  }
  if (wakes % wakesPerTurn === 0) await turn()
}
