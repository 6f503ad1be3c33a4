import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    IMAGE_SETTING_NOT_SUPPORTED: { model: string; setting: string; value: string; supported: string[] }
    IMAGE_SIZE_CONFLICT: Record<string, never>
    IMAGE_SEED_NOT_SUPPORTED: { model: string }
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
    en: ({ model }) => `The model \`${model}\` takes no seed; leave it out.`,
    fa: ({ model }) => `مدل \`${model}\` عدد seed را نمی‌پذیرد؛ حذفش کنید.`,
  },
  NOTHING_TO_EDIT: {
    status: 400,
    en: () => 'The action edit needs at least one picture in the input.',
    fa: () => 'برای action با مقدار edit دست‌کم یک تصویر در ورودی لازم است.',
  },
})

/** The reasons for which an order is refused. */
export const reasons = {
  noMasks: (model: string): Localized => ({
    en: `the model \`${model}\` takes no mask; choose one whose card says \`studio_settings.masks\`, or say in the prompt what is to be changed.`,
    fa: `مدل \`${model}\` mask نمی‌پذیرد؛ مدلی برگزینید که \`studio_settings.masks\` در مشخصاتش باشد، یا در prompt بگویید چه عوض شود.`,
  }),
  tooManyPieces: {
    en: 'this picture has more pieces than any program writes; save it anew and send that.',
    fa: 'این تصویر بیش از هر برنامه‌ای تکه دارد؛ دوباره ذخیره‌اش کنید و آن را بفرستید.',
  },
}
