/** What the routes of the text wires share beside `core/calls`: media, checks of features, caps, and sending JSON or events. No routes. */

export { effortOf, requireEffort, requireFeatures, requireModality, runsUpstream } from './abilities.ts'
export {
  type EventAnswer,
  type JsonAnswer,
  respondJson,
  respondStream,
  type SentEvent,
  settleInBackground,
} from './answer.ts'
export type { ModelRequestApp } from './app.ts'
export { budgetOf, budgetReport, type FieldReport, reasoningSettings, requireBudget } from './budget.ts'
export { cappedInteger, clampTools, maxPageTokens, maxUses } from './clamp.ts'
export {
  base64Media,
  cleanPicture,
  fileModality,
  imageMedia,
  imageTypes,
  inlineFile,
  inlineMedia,
  largePicture,
  linkMedia,
  mediaCharacters,
  mediaOf,
  pictureMedia,
} from './media.ts'
export {
  payForTurn,
  setFieldHeaders,
  textFailures,
  textModel,
  unsupportedFields,
  type WireSupport,
} from './model-request.ts'
export { reasons } from './phrases.ts'
export { type FillBody, type MediaByLink, readMedia } from './read-media.ts'
export { isForeign, seal, unseal } from './sealed.ts'
