/** The two transports of a call as a load generator has them: it is given frames of speech, and tells what came. */
import { WebSocket } from 'ws'
import { Codecs, OpusVoice } from '#voice/realtime'
import { LeanPeer } from '../../tests/platform/webrtc/lean-peer.ts'
import { rmsOf } from './heard.ts'

export interface LineOptions {
  url: string
  key: string
  model: string
  event(event: Record<string, unknown>): void
  /** A frame of the answer came; `position` counts frames of 20 ms, `rms` is its loudness where somebody wants to know it. */
  sound(position: number, rms: number | undefined): void
  closed(): void
}

export interface Line extends AsyncDisposable {
  /** What its client holds back before it plays, in ms. */
  readonly bufferMs: number
  /** 20 ms at 24 kHz. `index`: of the recording, whose frames are encoded once. */
  speak(frame: SpokenFrame): void
  send(event: object): void
}

/** Encoded before the load begins: a load generator that encodes is late itself. */
export interface SpokenFrame {
  base64: string
  opus: Uint8Array
}

const frameSamples = 480

/** Frames of 20 ms at 24 kHz, as both transports send them; the last one is filled up with silence. */
export async function framesOf(samples: Float32Array): Promise<SpokenFrame[]> {
  using codecs = (await new Codecs(1).take())!
  const voice = new OpusVoice(codecs.encoder)
  return Array.from({ length: Math.ceil(samples.length / frameSamples) }, (_, index) => {
    const frame = new Float32Array(frameSamples)
    frame.set(samples.subarray(index * frameSamples, (index + 1) * frameSamples))
    const pcm = Int16Array.from(frame, (sample) => Math.round(sample * 32_767))
    const opus = Uint8Array.from(voice.encode(frame, false)!.packet)
    return { base64: Buffer.from(pcm.buffer).toString('base64'), opus }
  })
}

export async function openSocketLine(options: LineOptions): Promise<Line> {
  const address = `${options.url.replace('http', 'ws')}/v1/realtime?model=${options.model}`
  const ws = new WebSocket(address, {
    headers: { authorization: `Bearer ${options.key}` },
    perMessageDeflate: false,
  })
  let position = 0
  ws.on('message', (data) => {
    const event = JSON.parse(String(data)) as Record<string, unknown>
    if (event['type'] !== 'response.output_audio.delta') options.event(event)
    else {
      const bytes = Buffer.from(String(event['delta']), 'base64')
      options.sound(
        position++,
        rmsOf(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1), 32_768),
      )
    }
  })
  ws.on('close', () => options.closed())
  await new Promise<void>((resolve, reject) => {
    ws.on('open', () => resolve())
    ws.on('error', reject)
    ws.on('unexpected-response', (_request, response) =>
      reject(new Error(`refused with ${response.statusCode}`)),
    )
  })
  return {
    bufferMs: 0,
    speak: ({ base64 }) => ws.send(`{"type":"input_audio_buffer.append","audio":"${base64}"}`),
    send: (event) => ws.send(JSON.stringify(event)),
    async [Symbol.asyncDispose]() {
      ws.close()
      if (ws.readyState !== ws.CLOSED) await new Promise((resolve) => ws.once('close', resolve))
    },
  }
}

/** Of more than one frame: what is shorter is the silence that keeps a line open. */
const leastSoundBytes = 12

export async function openPeerLine(options: LineOptions): Promise<Line> {
  const codecs = (await peerCodecs.take())!
  let timestamp = 0
  const peer = await LeanPeer.connect({
    async answer(sdp) {
      const reply = await fetch(`${options.url}/v1/realtime/calls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sdp, model: options.model }),
      })
      const body = (await reply.json()) as { sdp?: string }
      if (body.sdp === undefined) throw new Error(`refused with ${reply.status}: ${JSON.stringify(body)}`)
      return body.sdp
    },
    audio(packet, _index, stamp) {
      if (packet.length < leastSoundBytes) return
      options.sound(stamp / 960, rmsOf(codecs.decoder.decodeFloat(packet)))
    },
    text: (text) => options.event(JSON.parse(text)),
    closed: () => options.closed(),
  })
  return {
    bufferMs: 60,
    speak({ opus }) {
      timestamp = (timestamp + 960) % 2 ** 32
      peer.sendAudio(opus, timestamp)
    },
    send: (event) => peer.sendText(JSON.stringify(event)),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]()
      codecs[Symbol.dispose]()
    },
  }
}

const peerCodecs = new Codecs(1_000)
