import { type Codec, rateFor } from './codec.ts'

const rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
/** The bit rate in bit/s, for one channel. */
const bitrate = 64_000

/** Encodes AAC-LC in ADTS frames, by libavcodec in a thread of its own: each open encoder holds one. */
export async function openAac(rate: number): Promise<Codec> {
  const { AdtsOutputFormat, AppendOnlyStreamTarget, AudioSample, AudioSampleSource, Output } = await import(
    'mediabunny'
  )
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
  registerAacEncoder()
  const own = rateFor(rate, rates)
  const bytes: Uint8Array[] = []
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => void bytes.push(chunk.slice()) })
  const output = new Output({ format: new AdtsOutputFormat(), target: new AppendOnlyStreamTarget(sink) })
  const source = new AudioSampleSource({ codec: 'aac', bitrate })
  output.addAudioTrack(source)
  await output.start()
  let taken = 0
  return {
    rate: own,
    write: async (samples) => {
      if (samples.length === 0) return Buffer.concat(bytes.splice(0))
      using sample = new AudioSample({
        data: samples as Float32Array<ArrayBuffer>,
        format: 'f32',
        numberOfChannels: 1,
        sampleRate: own,
        timestamp: taken / own,
      })
      taken += samples.length
      await source.add(sample)
      return Buffer.concat(bytes.splice(0))
    },
    end: async () => {
      await output.finalize()
      return Buffer.concat(bytes.splice(0))
    },
    close: () => {
      if (output.state !== 'finalized' && output.state !== 'canceled') void output.cancel().catch(() => {})
    },
  }
}
