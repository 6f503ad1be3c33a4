/** Where a picture comes from, as XMP says it: in the words of IPTC's `DigitalSourceType`, with the name of the program if it has one. */
export interface Origin {
  /** `trainedAlgorithmicMedia` is IPTC's word for what a model made, `algorithmicMedia` for what an algorithm without training made. */
  type: string
  tool?: string
}

const types = 'http://cv.iptc.org/newscodes/digitalsourcetype/'

/** The XMP that states an origin. `tool` has none of `"`, `<`, `>` and `&`. */
export const originXmp = ({ type, tool }: Origin): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"${tool === undefined ? '' : ` xmp:CreatorTool="${tool}"`} Iptc4xmpExt:DigitalSourceType="${types}${type}"/></rdf:RDF></x:xmpmeta>`

/** The origin that the XMP of a picture states. Without XMP or without a statement in it, a model made the picture. */
export function originIn(xmp: string | undefined): Origin {
  const known = xmp?.slice(0, maxXmpLength) ?? ''
  const type = /newscodes\/digitalsourcetype\/([A-Za-z]{1,60})\b/i.exec(known)?.[1]
  const tool = /xmp:CreatorTool="([^"<>&]{1,200})"/.exec(known)?.[1]
  return { type: type ?? 'trainedAlgorithmicMedia', ...(tool !== undefined && { tool }) }
}

/** The most characters of XMP that are read. */
const maxXmpLength = 65_536
