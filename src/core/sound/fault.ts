/**
 * Why sound cannot be read, or not to its end:
 * - `empty`: no bytes, or a container without a sample
 * - `unrecognised`: no container that is known here, and no raw PCM was announced
 * - `unsupported`: known (`mediaType` says what, and `codec` what is in it), but not decodable here
 * - `no_track`: a container of films or sound without a track of sound
 * - `malformed`: the file contradicts itself or fails its checksums
 * - `truncated`: the file has less than it declares, or its last frame is cut; the sound before that was good. Recordings are read up to there, and
 *   are refused only where nothing was good
 * - `too_long`: more than `maxSeconds`
 * - `busy`: too many others wait for the processes that read such files
 */
export type SoundFault =
  | 'empty'
  | 'unrecognised'
  | 'unsupported'
  | 'no_track'
  | 'malformed'
  | 'truncated'
  | 'too_long'
  | 'busy'

export class SoundError extends Error {
  override readonly name = 'SoundError'
  readonly fault: SoundFault
  /** The media type of the bytes, where it could be recognised. */
  readonly mediaType: string | undefined
  /** The codec of an `unsupported` track of a container, where it could be recognised. */
  readonly codec: string | undefined

  constructor(fault: SoundFault, mediaType?: string, codec?: string) {
    super(`sound is ${fault}${mediaType ? ` (${mediaType})` : ''}`)
    this.fault = fault
    this.mediaType = mediaType
    this.codec = codec
  }
}
