import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    LINK_NOT_USABLE: { link: string; why: Localized }
  }
}

declareFailures({
  LINK_NOT_USABLE: {
    status: 400,
    en: ({ link, why }) => `The link ${link} cannot be used: ${why.en}`,
    fa: ({ link, why }) => `پیوند ${link} قابل استفاده نیست: ${why.fa}`,
  },
})

/** Reasons for refusing a link that this room detects itself. */
export const reasons = {
  tooManyLinks: (max: number): Localized => ({
    en: `a request may have ${max} different links; send the rest inline.`,
    fa: `هر درخواست حداکثر ${persian(max)} پیوند گوناگون دارد؛ بقیه را درون درخواست بفرستید.`,
  }),
  tooManyHosts: (max: number): Localized => ({
    en: `a request may have links to ${max} different hosts; send the rest inline.`,
    fa: `هر درخواست حداکثر به ${persian(max)} میزبان گوناگون پیوند دارد؛ بقیه را درون درخواست بفرستید.`,
  }),
  answered: (status: number): Localized => ({
    en: `its host answered with status ${status}.`,
    fa: `میزبان آن با وضعیت ${persian(status)} پاسخ داد.`,
  }),
  vast: {
    en: 'its picture is larger than 100 megapixels or 32,767 pixels a side.',
    fa: 'تصویر آن از ۱۰۰ مگاپیکسل یا ۳۲٬۷۶۷ پیکسل در یک ضلع بزرگ‌تر است.',
  },
  otherType: (found: string | undefined, types: readonly string[]): Localized => ({
    en: `what it leads to is ${found === undefined ? '' : `${found}, `}not of type ${types.join(', ')}, or is damaged.`,
    fa: `آنچه در آن نشانی است ${found === undefined ? '' : `${found} است و `}از نوع ${types.join('، ')} نیست یا آسیب دیده است.`,
  }),
}
