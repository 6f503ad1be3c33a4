import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    MODEL_NOT_FOUND: { model: string }
    MODEL_NOT_ALLOWED: { model: string }
    /** `needed` are the kinds that the route takes. */
    MODEL_KIND_MISMATCH: { model: string; kind: string; needed: readonly string[] }
  }
}

declareFailures({
  MODEL_NOT_FOUND: {
    status: 404,
    en: ({ model }) => `The model \`${model}\` does not exist. See GET /v1/models for those that do.`,
    fa: ({ model }) => `مدل \`${model}\` وجود ندارد (does not exist). فهرست مدل‌ها: GET /v1/models`,
  },
  MODEL_NOT_ALLOWED: {
    status: 403,
    en: ({ model }) =>
      `This key may not use the model \`${model}\`. Use one of its own models or another key.`,
    fa: ({ model }) =>
      `این کلید اجازهٔ استفاده از مدل \`${model}\` را ندارد. مدلی مجاز یا کلیدی دیگر به کار ببرید.`,
  },
  MODEL_KIND_MISMATCH: {
    status: 400,
    en: ({ model, kind, needed }) =>
      `\`${model}\` is a model of the kind ${kind}; this route takes one of the kind ${needed.join(' or ')}. GET /v1/models says the kind of each.`,
    fa: ({ model, kind, needed }) =>
      `\`${model}\` مدلی از نوع ${kind} است؛ این مسیر مدلی از نوع ${needed.join(' یا ')} می‌خواهد. نوع هر مدل در GET /v1/models آمده است.`,
  },
})
