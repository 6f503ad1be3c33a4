import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    IMAGE_SETTING_NOT_SUPPORTED: { model: string; setting: string; value: string; supported: string[] }
    IMAGE_SIZE_CONFLICT: Record<string, never>
    /** `pictures`: of one order by a seed at most; 0: it takes none. */
    IMAGE_SEED_NOT_SUPPORTED: { model: string; pictures: number }
    NOTHING_TO_EDIT: Record<string, never>
  }
}

export const imageFailures = declareFailures({
  IMAGE_SETTING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, setting, value, supported }) =>
      `The model \`${model}\` does not take ${setting} ${value}; it takes ${supported.join(', ')}.`,
    fa: ({ model, setting, value, supported }) =>
      `مدل \`${model}\` برای ${setting} مقدار ${value} را نمی‌پذیرد؛ این‌ها را می‌پذیرد: ${supported.join('، ')}.`,
  },
  IMAGE_SIZE_CONFLICT: {
    status: 400,
    en: () => 'size and aspect_ratio disagree; send one of them.',
    fa: () => 'size و aspect_ratio با هم نمی‌خوانند؛ فقط یکی را بفرستید.',
  },
  IMAGE_SEED_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, pictures }) =>
      pictures === 0
        ? `The model \`${model}\` takes no seed; leave it out.`
        : `The model \`${model}\` draws at most ${pictures} at once by a seed; ask for no more, or leave the seed out.`,
    fa: ({ model, pictures }) =>
      pictures === 0
        ? `مدل \`${model}\` عدد seed را نمی‌پذیرد؛ حذفش کنید.`
        : `مدل \`${model}\` با seed هر بار حداکثر ${pictures.toLocaleString('fa-IR')} تصویر می‌کشد؛ بیش از آن نخواهید یا seed را حذف کنید.`,
  },
  NOTHING_TO_EDIT: {
    status: 400,
    en: () => 'The action edit needs at least one picture in the input.',
    fa: () => 'برای action با مقدار edit دست‌کم یک تصویر در ورودی لازم است.',
  },
})
