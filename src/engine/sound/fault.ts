/**
 * Why sound cannot be read, or not to its end:
 * - `empty`: no bytes, or a container without a sample
 * - `unrecognised`: no container that is known here, and no raw PCM was announced
 * - `unsupported`: known (`mediaType` says what), but not decodable here
 * - `malformed`: it contradicts itself or fails its checksums
 * - `truncated`: less is there than was declared, or the last frame is cut; what came before was good
 * - `too_long`: more than `maxSeconds`
 */
export type SoundFault = 'empty' | 'unrecognised' | 'unsupported' | 'malformed' | 'truncated' | 'too_long'

export class SoundError extends Error {
  override readonly name = 'SoundError'
  readonly fault: SoundFault
  /** What the bytes are, where that could be recognised. */
  readonly mediaType: string | undefined

  constructor(fault: SoundFault, mediaType?: string) {
    super(`sound is ${fault}${mediaType ? ` (${mediaType})` : ''}`)
    this.fault = fault
    this.mediaType = mediaType
  }
}
