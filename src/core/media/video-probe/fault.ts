/**
 * Why a file is no video that can be handed on:
 * - `empty`: no byte
 * - `not_video`: something else, such as a page or an answer in JSON
 * - `unsupported`: a video, but none that may be called `video/mp4`, or of a codec that is not known here (`detail` says which)
 * - `no_track`: an mp4 without a picture track, or with one without a picture
 * - `truncated`: the file has fewer bytes than it declares
 * - `malformed`: the file contradicts itself, or declares what no video has
 * - `busy`: too many others wait for the processes that read such files
 * - `lost`: the process that read the file ended without an answer: it took too long, or this machine had no resources left for it
 */
export type VideoFault =
  | 'empty'
  | 'not_video'
  | 'unsupported'
  | 'no_track'
  | 'truncated'
  | 'malformed'
  | 'busy'
  | 'lost'

export class VideoError extends Error {
  override readonly name = 'VideoError'
  readonly fault: VideoFault
  /** For `unsupported`, the media type or the codec. Printable, at most 40 characters. */
  readonly detail: string | undefined

  constructor(fault: VideoFault, detail?: string) {
    super(`video is ${fault}${detail === undefined ? '' : ` (${detail})`}`)
    this.fault = fault
    this.detail = detail
  }
}
