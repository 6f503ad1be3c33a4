import { speechSampleRate } from './decode-pcm.ts'
import { PcmReader, type Sound } from './pcm.ts'
import type { RecordingSource } from './recording.ts'
import { chunksOf } from './source.ts'

/** A part of decoded sound, from one byte up to another. */
export interface ByteRange {
  begin: number
  end: number
}

/** The sound of a part of the 16-bit samples that `decodePcm` writes. */
export async function* soundOf(pcm: RecordingSource, { begin, end }: ByteRange): AsyncGenerator<Sound> {
  const reader = new PcmReader({ rate: speechSampleRate, channels: 1 })
  for await (const bytes of chunksOf(pcm, begin, end))
    for (const samples of reader.write(bytes))
      if (samples.length > 0) yield { rate: speechSampleRate, samples }
}
