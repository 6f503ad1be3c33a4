/** What the doors of the text wires share: who is asked, who pays, and how an answer leaves, whole or as events. No routes. */

export { effortOf, requireFeatures, requireModality, runsUpstream } from './abilities.ts'
export {
  delivered,
  type EventAnswer,
  failed,
  inEvents,
  kept,
  type SentEvent,
  type WholeAnswer,
  whole,
} from './answer.ts'
export {
  type HeardOn,
  nameIgnored,
  pay,
  payment,
  Reference,
  reference,
  referenceHeaders,
  tellNews,
  textFailures,
  textModel,
  unheard,
} from './ask.ts'
export { budgetNews, budgetOf, type News, requireBudget, wishOf } from './budget.ts'
export { type Clamped, capped, clampTools, mostPageTokens, mostUses } from './clamp.ts'
export { Cost, costOf, tellCost } from './cost.ts'
export { base64Media, imageMedia, imageTypes, inlineMedia, linkMedia, mediaCharacters } from './media.ts'
export { type FillBody, type Found, readMedia, requireUnclaimed } from './read-media.ts'
export { reasons } from './words.ts'
