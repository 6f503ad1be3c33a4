/** What the doors of the text wires share beside `calls`: the turn and its media, its abilities and bounds, and how it leaves, whole or as events. No routes. */

export { effortOf, requireFeatures, requireModality, runsUpstream } from './abilities.ts'
export {
  type EventAnswer,
  inEvents,
  kept,
  type SentEvent,
  type WholeAnswer,
  whole,
} from './answer.ts'
export {
  type HeardOn,
  pay,
  tellNews,
  textFailures,
  textModel,
  unheard,
} from './ask.ts'
export { budgetNews, budgetOf, type News, requireBudget, wishOf } from './budget.ts'
export { capped, clampTools, mostPageTokens, mostUses } from './clamp.ts'
export { base64Media, imageMedia, imageTypes, inlineMedia, linkMedia, mediaCharacters } from './media.ts'
export { type FillBody, type Found, readMedia } from './read-media.ts'
export { reasons } from './words.ts'
