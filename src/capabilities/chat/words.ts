import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    FEATURE_NOT_SUPPORTED: { model: string; feature: string }
    INPUT_MODALITY_NOT_SUPPORTED: { model: string; modality: string; supported: string[] }
    INVALID_MEDIA: { why: string }
    REASONING_EFFORT_CONFLICT: Record<string, never>
    REASONING_NOT_SUPPORTED: { model: string; effort: string; supported: string[] }
  }
}

declareFailures({
  FEATURE_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, feature }) => `The model \`${model}\` does not support ${feature}. Leave it out or choose another model.`,
    fa: ({ model, feature }) => `مدل \`${model}\` از ${feature} پشتیبانی نمی‌کند. آن را حذف کنید یا مدل دیگری برگزینید.`,
  },
  INPUT_MODALITY_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, modality, supported }) => `The model \`${model}\` takes ${supported.join(', ')} and no ${modality}. Choose a model whose input_modalities has ${modality}.`,
    fa: ({ model, modality, supported }) => `مدل \`${model}\` ورودی ${modality} نمی‌پذیرد (می‌پذیرد: ${supported.join('، ')}). مدلی برگزینید که input_modalities آن ${modality} دارد.`,
  },
  INVALID_MEDIA: {
    status: 400,
    en: ({ why }) => `The media cannot be used: ${why}`,
    fa: ({ why }) => `رسانهٔ فرستاده‌شده قابل استفاده نیست: ${why}`,
  },
  REASONING_EFFORT_CONFLICT: {
    status: 400,
    en: () => 'reasoning_effort and reasoning.effort disagree; send one of them.',
    fa: () => 'reasoning_effort و reasoning.effort با هم نمی‌خوانند؛ فقط یکی را بفرستید.',
  },
  REASONING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, effort, supported }) =>
      supported.length === 0
        ? `The model \`${model}\` does not take reasoning settings (${effort}).`
        : `The model \`${model}\` does not support the effort \`${effort}\`; it supports ${supported.join(', ')}.`,
    fa: ({ model, effort, supported }) =>
      supported.length === 0
        ? `مدل \`${model}\` تنظیم استدلال (${effort}) نمی‌پذیرد.`
        : `مدل \`${model}\` سطح \`${effort}\` را نمی‌پذیرد؛ سطح‌های مجاز: ${supported.join('، ')}.`,
  },
})
