import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    UPSTREAM_FAILED: Record<string, never>
    UPSTREAM_MISCONFIGURED: Record<string, never>
    UPSTREAM_TIMEOUT: Record<string, never>
    UPSTREAM_OVERLOADED: Record<string, never>
    UPSTREAM_RATE_LIMITED: Record<string, never>
    UPSTREAM_INVALID_REQUEST: { detail: string }
    CONTEXT_LENGTH_EXCEEDED: Record<string, never>
    CONTENT_REFUSED: { detail: string }
  }
}

export const upstreamFailures = declareFailures({
  UPSTREAM_FAILED: {
    status: 502,
    en: () =>
      'The model provider failed to answer. Nothing that it did not deliver is charged; send the request again.',
    fa: () => 'ارائه‌دهندهٔ مدل پاسخ نداد. بابت آنچه تحویل نشده هزینه‌ای کم نمی‌شود؛ درخواست را دوباره بفرستید.',
  },
  UPSTREAM_MISCONFIGURED: {
    status: 502,
    retry: false,
    en: () =>
      'This model cannot be reached until the operator of this service mends its connection to the provider. Sending the request again does not help: tell the operator the request_id, or choose another model. Nothing is charged for what was not delivered.',
    fa: () =>
      'تا گردانندهٔ این سرویس اتصالش به ارائه‌دهندهٔ مدل را درست نکند، این مدل پاسخ نمی‌دهد. فرستادنِ دوباره سودی ندارد: request_id را به گرداننده بگویید یا مدل دیگری برگزینید. بابت آنچه تحویل نشده هزینه‌ای کم نمی‌شود.',
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    en: () => 'The model provider did not answer in time.',
    fa: () => 'ارائه‌دهندهٔ مدل در زمان مجاز پاسخ نداد.',
  },
  UPSTREAM_OVERLOADED: {
    status: 529,
    en: () => 'The model provider is overloaded; try again in a moment.',
    fa: () => 'ارائه‌دهندهٔ مدل زیر بار سنگین است؛ کمی بعد دوباره بفرستید.',
  },
  UPSTREAM_RATE_LIMITED: {
    status: 429,
    en: () => 'The model provider limits the rate of this service; try again later.',
    fa: () => 'ارائه‌دهندهٔ مدل نرخ درخواست‌های این سرویس را محدود کرده است؛ بعداً دوباره بفرستید.',
  },
  UPSTREAM_INVALID_REQUEST: {
    status: 400,
    en: ({ detail }) => `The model provider refused the request: ${detail}`,
    fa: ({ detail }) => `ارائه‌دهندهٔ مدل درخواست را نپذیرفت: ${detail}`,
  },
  CONTEXT_LENGTH_EXCEEDED: {
    status: 400,
    en: () =>
      'context_length_exceeded: the prompt is too long for the context window of this model. Shorten the messages or choose a model with a larger context.',
    fa: () =>
      'context_length_exceeded: پیام‌ها برای پنجرهٔ متن این مدل بلندند (prompt is too long). پیام‌ها را کوتاه کنید یا مدلی با پنجرهٔ بزرگ‌تر برگزینید.',
  },
  CONTENT_REFUSED: {
    status: 400,
    en: ({ detail }) => `The model provider refused the content (content_policy): ${detail}`,
    fa: ({ detail }) => `ارائه‌دهندهٔ مدل محتوا را نپذیرفت (content_policy): ${detail}`,
  },
})
