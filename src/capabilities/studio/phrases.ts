import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    NO_TEXT_WRITTEN: { model: string; maxOutputTokens: number }
  }
}

declareFailures({
  NO_TEXT_WRITTEN: {
    status: 502,
    en: ({ model, maxOutputTokens }) =>
      `\`${model}\` wrote no text within ${maxOutputTokens} output tokens, which may all have gone into reasoning. The tokens were used and are on the receipt. Raise maxOutputTokens or lower reasoningEffort.`,
    fa: ({ model, maxOutputTokens }) =>
      `مدل \`${model}\` در ${maxOutputTokens.toLocaleString('fa-IR')} توکن خروجی متنی ننوشت؛ شاید همه صرف استدلال شده باشد. توکن‌ها مصرف شده‌اند و در رسید آمده‌اند. maxOutputTokens را بیشتر یا reasoningEffort را کمتر کنید.`,
  },
})

/** Why an order is refused. */
export const reasons = {
  blank: { en: 'must say what to draw.', fa: 'باید بگوید چه کشیده شود.' },
  bothReferences: {
    en: 'send reference or references, not both.',
    fa: 'فقط یکی از reference و references را بفرستید.',
  },
}
