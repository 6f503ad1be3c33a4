import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TOO_MANY_WEBHOOKS: { max: number }
    WEBHOOK_DISABLED: Record<string, never>
    DELIVERY_PENDING: Record<string, never>
    TOO_MANY_TESTS: { max: number }
  }
}

declareFailures({
  TOO_MANY_WEBHOOKS: {
    status: 403,
    retry: false,
    en: ({ max }) => `A project has at most ${max} webhook connections; delete one first.`,
    fa: ({ max }) => `هر پروژه حداکثر ${persian(max)} اتصال وب‌هوک دارد؛ نخست یکی را حذف کنید.`,
  },
  WEBHOOK_DISABLED: {
    status: 409,
    retry: false,
    en: () => 'This connection is switched off or deleted; switch it on first (PATCH with enabled: true).',
    fa: () => 'این اتصال خاموش یا حذف شده است؛ نخست آن را روشن کنید (PATCH با enabled: true).',
  },
  DELIVERY_PENDING: {
    status: 409,
    en: () => 'This event is still on its way to this connection; wait until that delivery has ended.',
    fa: () => 'این رویداد هنوز در راه همین اتصال است؛ صبر کنید آن تحویل پایان یابد.',
  },
  TOO_MANY_TESTS: {
    status: 429,
    en: ({ max }) => `A connection is tested at most ${max} times a minute; wait a minute.`,
    fa: ({ max }) => `هر اتصال در دقیقه حداکثر ${persian(max)} بار آزموده می‌شود؛ یک دقیقه صبر کنید.`,
  },
})

/** Why a connection is refused. */
export const reasons = {
  url: (param: string, why: Localized): Localized => ({
    en: `${param} cannot be delivered to: ${why.en}`,
    fa: `به ${param} نمی‌توان تحویل داد: ${why.fa}`,
  }),
  nothing: {
    en: 'the body changes nothing; name url, events or enabled.',
    fa: 'بدنه چیزی را تغییر نمی‌دهد؛ url، events یا enabled را بفرستید.',
  },
}
