/** What the doors of the text wires share beside `calls`: the turn and its media, its abilities and bounds, and how it leaves, whole or as events. No routes. */

export { effortOf, requireFeatures, requireModality, runsUpstream } from './abilities.ts'
export {
  type EventAnswer,
  type JsonAnswer,
  respondJson,
  respondStream,
  type SentEvent,
  settleInBackground,
} from './answer.ts'
export { budgetNews, budgetOf, type FieldReport, requireBudget, wishOf } from './budget.ts'
export { capped, clampTools, maxPageTokens, maxUses } from './clamp.ts'
export { base64Media, imageMedia, imageTypes, inlineMedia, linkMedia, mediaCharacters } from './media.ts'
export {
  pay,
  setFieldHeaders,
  textFailures,
  textModel,
  unsupportedFields,
  type WireSupport,
} from './model-request.ts'
export { reasons } from './phrases.ts'
export { type FillBody, type Found, readMedia } from './read-media.ts'
