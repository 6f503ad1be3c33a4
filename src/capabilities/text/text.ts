/** What the doors of the text wires share: who is asked, who pays, and how an answer leaves, whole or as events. No routes. */
export { effortOf, requireFeatures, requireModality } from './abilities.ts'
export { type EventAnswer, inEvents, type SentEvent, type WholeAnswer, whole } from './answer.ts'
export { nameIgnored, pay, Reference, referenceHeaders, textFailures, textModel } from './ask.ts'
export { base64Media, imageMedia, imageTypes, inlineMedia, mediaCharacters } from './media.ts'
export { reasons } from './words.ts'
