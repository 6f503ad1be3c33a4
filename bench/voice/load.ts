/** Callers from a process of their own: `node bench/voice/load.ts '{…LoadOptions}'` prints what they measured as one line of JSON. */
import { readFile } from 'node:fs/promises'
import { type CallResult, callOnce, type Recording } from './call.ts'
import { framesOf } from './lines.ts'

export interface VoiceLoadOptions {
  url: string
  key: string
  model: string
  transport: 'websocket' | 'webrtc'
  /** At a time, and all together. */
  concurrent: number
  calls: number
  answers: number
  seconds: number
  /** Files of samples: 32-bit floats at 24 kHz. */
  question: string
  interruptions: string[]
}

export interface VoiceLoadResult {
  calls: CallResult[]
  /** Processor time of this process by the clock. */
  core: number
  seconds: number
}

const faintest = 0.003

async function recordingOf(file: string): Promise<Recording> {
  const bytes = await readFile(file)
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  const isHeard = (sample: number): boolean => Math.abs(sample) > faintest
  const frameOf = (sample: number): number => Math.floor(sample / 480)
  const [from, until] = [samples.findIndex(isHeard), samples.findLastIndex(isHeard)].map(frameOf)
  return { frames: await framesOf(samples), from: from!, until: until! + 1 }
}

async function run(options: VoiceLoadOptions): Promise<VoiceLoadResult> {
  const question = await recordingOf(options.question)
  const interruptions = await Promise.all(options.interruptions.map(recordingOf))
  const [silence] = await framesOf(new Float32Array(480))
  const beganMs = performance.now()
  const cpu = process.cpuUsage()
  const untilMs = beganMs + 1_000 * options.seconds
  const calls: CallResult[] = []
  let left = options.calls
  const caller = async (position: number): Promise<void> => {
    const phaseMs = (20 * position) / options.concurrent
    while (left-- > 0 && performance.now() < untilMs) {
      // Each begins with another interruption.
      const at = (calls.length + position) % Math.max(1, interruptions.length)
      const turned = [...interruptions.slice(at), ...interruptions.slice(0, at)]
      const script = { ...options, question, interruptions: turned, silence: silence!, untilMs, phaseMs }
      calls.push(await callOnce(script))
    }
  }
  await Promise.all(Array.from({ length: options.concurrent }, (_, position) => caller(position)))
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - beganMs) / 1_000
  return { calls, core: (user + system) / 1e6 / seconds, seconds }
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2]!))))
