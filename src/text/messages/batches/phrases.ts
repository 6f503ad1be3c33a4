import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    BATCH_NOT_ENDED: Record<string, never>
    BATCH_RESULTS_EXPIRED: { expiredAt: string }
    TOO_MANY_BATCHES: { max: number }
  }
}

declareFailures({
  BATCH_NOT_ENDED: {
    status: 409,
    retry: false,
    en: () =>
      'The batch has not ended: wait until its processing_status is ended, or cancel it first (POST …/cancel).',
    fa: () =>
      'این دسته هنوز پایان نیافته است: تا ended شدن processing_status صبر کنید یا نخست آن را لغو کنید (POST …/cancel).',
  },
  BATCH_RESULTS_EXPIRED: {
    status: 404,
    retry: false,
    en: ({ expiredAt }) => `The results of this batch were kept until ${expiredAt} and are deleted now.`,
    fa: ({ expiredAt }) => `نتیجه‌های این دسته تا ${expiredAt} نگه‌داری و سپس پاک شدند.`,
  },
  TOO_MANY_BATCHES: {
    status: 429,
    en: ({ max }) =>
      `An account has at most ${max} batches in progress; wait until one ends, then send this one again.`,
    fa: ({ max }) =>
      `هر حساب هم‌زمان حداکثر ${persian(max)} دستهٔ در جریان دارد؛ صبر کنید یکی پایان یابد و دوباره بفرستید.`,
  },
})

/** Reasons for refusing a batch. */
export const reasons = {
  twice: (customId: string): Localized => ({
    en: `custom_id ${customId} is used by an earlier row too; each row needs its own.`,
    fa: `custom_id با مقدار ${customId} در ردیفی پیش‌تر هم آمده است؛ هر ردیف شناسهٔ خود را می‌خواهد.`,
  }),
  noStream: {
    en: 'rows of a batch are not streamed; leave stream out or send false.',
    fa: 'ردیف‌های دسته جریانی نیستند؛ stream را حذف کنید یا false بفرستید.',
  },
  twoCursors: {
    en: 'after_id and before_id exclude each other; send one of them.',
    fa: 'after_id و before_id با هم نمی‌آیند؛ یکی را بفرستید.',
  },
}
