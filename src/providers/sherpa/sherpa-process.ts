/** The child's side: loads sherpa-onnx and one model, and transcribes one recording after another. Arguments: package, folder. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { recogniserConfig } from './model-files.ts'
import type { ChildMessage, ChildRequest } from './protocol.ts'

/** The part of sherpa-onnx-node that is used here (k2-fsa/sherpa-onnx, scripts/node-addon-api/lib/non-streaming-asr.js). */
interface Sherpa {
  OfflineRecognizer: new (
    config: unknown,
  ) => {
    createStream(): { acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void }
    decode(stream: unknown): void
    decodeAsync?(stream: unknown): Promise<unknown>
    getResult(stream: unknown): unknown
  }
}
type Recogniser = InstanceType<Sherpa['OfflineRecognizer']>

const [packageName = '', folder = ''] = process.argv.slice(2)
const answer = (message: ChildMessage): void => {
  process.send!(message)
}
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** One recogniser for each language that was named: whisper's models are told the language when they are opened. */
const open = new Map<string, Recogniser>()
const maxOpen = 2

function load(): Sherpa {
  const here = createRequire(path.join(folder, 'any.js'))
  try {
    return here(packageName) as Sherpa
  } catch (cause) {
    throw new Error(
      `${packageName} cannot be loaded (${reasonOf(cause).split('\n', 1)[0]}): install it with npm install sherpa-onnx-node, and name its folder as package`,
    )
  }
}

function recogniserOf(sherpa: Sherpa, language: string): Recogniser {
  const known = open.get(language)
  if (known) return known
  if (open.size >= maxOpen) open.delete(open.keys().next().value!)
  const made = new sherpa.OfflineRecognizer(recogniserConfig(folder, language || undefined))
  open.set(language, made)
  return made
}

async function transcribe(sherpa: Sherpa, { id, samples, language }: ChildRequest): Promise<ChildMessage> {
  try {
    const recogniser = recogniserOf(sherpa, language ?? '')
    const stream = recogniser.createStream()
    stream.acceptWaveform({ samples, sampleRate: 16_000 })
    if (recogniser.decodeAsync) return { id, result: await recogniser.decodeAsync(stream) }
    recogniser.decode(stream)
    return { id, result: recogniser.getResult(stream) }
  } catch (error) {
    return { id, failed: reasonOf(error) }
  }
}

// However the server ended, its child ends with it.
process.on('disconnect', () => process.exit(0))
try {
  const sherpa = load()
  recogniserOf(sherpa, '')
  process.on('message', (message: ChildRequest) => void transcribe(sherpa, message).then(answer))
  answer({ ready: true })
} catch (error) {
  process.send!({ ready: false, failed: reasonOf(error) } satisfies ChildMessage, () => process.exit(0))
}
