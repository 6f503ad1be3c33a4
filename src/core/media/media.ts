/** Bytes of images, audio and video: their measures, metadata, links and data URLs, and SVG made safe (docs/decisions/media/measuring.md). */
export {
  hasText,
  heifType,
  isEncoderTable,
  isHeif,
  type Mp3Frame,
  readMp3Frame,
  skipId3,
  sniff,
} from '#core/magic'
export { hasAlpha, paintedMask } from './alpha.ts'
export { measureAudio } from './audio.ts'
export { dataUrl, encodeBase64, parseDataUrl, typeOfBase64, withTypeOfBytes } from './base64.ts'
export { fromHeif, heifTypes } from './heif.ts'
export { isTooLarge, measureImage } from './image.ts'
export {
  defaultLinkBounds,
  type FoundMedia,
  inspectLinks,
  type LinkBounds,
  type LinkedMedia,
  linkedKinds,
  withLinkedMedia,
} from './linked.ts'
export { measure } from './measure.ts'
export {
  anyType,
  anyTypeAs,
  isAnyType,
  mediaTypeField,
  mediaTypeOf,
  recordingTypeField,
} from './media-type.ts'
export { type Origin, originIn, originXmp } from './origin.ts'
export { allContentParts, mapContentParts } from './parts.ts'
export { referencePicture, uprightPicture } from './reference.ts'
export { cleanSvg } from './svg/clean-svg.ts'
export { type DrawnSvg, openSvgs, type ProvenSvg, type Svgs } from './svg/confined-svg.ts'
export type { SvgBox } from './svg/draw-svg.ts'
export { looksLikeSvg, SvgError, type SvgFault } from './svg/parse.ts'
export { measureVideo } from './video.ts'
export { openVideoProbe, type VideoProbe } from './video-probe/confined-probe.ts'
export { VideoError, type VideoFault } from './video-probe/fault.ts'
export type { ProbedVideo } from './video-probe/probe.ts'
export { withoutMetadata } from './without-metadata.ts'
