/** A thread that does as it is told. Started by threads.test.ts. */
import { threadId } from 'node:worker_threads'
import { serveTasks } from '#platform/threads'

export type Task =
  | 'name'
  | 'throw'
  | 'loop'
  | 'fill'
  | 'exit'
  | { bytes: Uint8Array }
  | { gate: SharedArrayBuffer }

const kept: unknown[] = []

serveTasks((task: Task) => {
  if (typeof task === 'object' && 'bytes' in task) return task.bytes.length
  if (typeof task === 'object') {
    const gate = new Int32Array(task.gate)
    Atomics.add(gate, 1, 1)
    Atomics.wait(gate, 0, 0)
    return threadId
  }
  if (task === 'throw') throw new RangeError('as told')
  while (task === 'loop');
  while (task === 'fill') kept.push({ at: kept.length, more: [kept.length] })
  if (task === 'exit') process.exit(3)
  return threadId
})
