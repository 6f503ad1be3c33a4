/** What a client prefers, by the headers that list it with qualities: Accept, Accept-Encoding and Accept-Language (RFC 9110, section 12.4.2). */

/** The entries of such a header in lower case and in its order, each with its quality from 0 to 1; one that is absent or cannot be read is 1. */
export const qualitiesOf = (header: string): [name: string, quality: number][] =>
  header
    .toLowerCase()
    .split(',')
    .map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const quality = Number.parseFloat(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '')
      return [name, Number.isNaN(quality) ? 1 : Math.min(1, Math.max(0, quality))]
    })

/** The quality of the narrowest entry of `Accept` that covers the media type; 1 without the header, 0 where no entry covers it. */
export const acceptedQuality = (accept: string | undefined, mediaType: string): number =>
  accept === undefined ? 1 : (statedQuality(accept, mediaType) ?? 0)

/** Whether `Accept` refuses the media type itself, by an entry of quality 0 that covers it: not where it only lists others. */
export const refusesType = (accept: string | undefined, mediaType: string): boolean =>
  accept?.includes('=0') === true && statedQuality(accept, mediaType) === 0

function statedQuality(accept: string, mediaType: string): number | undefined {
  const qualities = new Map(qualitiesOf(accept))
  const group = `${mediaType.split('/', 1)[0]}/*`
  return qualities.get(mediaType) ?? qualities.get(group) ?? qualities.get('*/*')
}

/** Whether `Accept` names the media type itself and does not refuse it: a program that takes anything is not a browser that wants a page. */
export const acceptsByName = (accept: string | undefined, mediaType: string): boolean =>
  (new Map(qualitiesOf(accept ?? '')).get(mediaType) ?? 0) > 0

/** Whether `Accept` names the media type itself and prefers no other form to it. */
export const prefersByName = (accept: string | undefined, mediaType: string, otherType: string): boolean =>
  acceptsByName(accept, mediaType) && acceptedQuality(accept, mediaType) >= acceptedQuality(accept, otherType)

/** The encodings of the content that `Accept-Encoding` takes, the best first; those that it does not name only by `*` (RFC 9110, section 12.5.3). */
export function acceptedEncodings<Encoding extends string>(
  header: string | string[] | undefined,
  encodings: readonly Encoding[],
): Encoding[] {
  const qualities = new Map(qualitiesOf(String(header ?? '')))
  const quality = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0
  return encodings.filter((name) => quality(name) > 0).sort((one, other) => quality(other) - quality(one))
}
