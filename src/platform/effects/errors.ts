import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    AMBIGUOUS_RESULT: Record<string, never>
  }
}

declareFailures({
  AMBIGUOUS_RESULT: {
    status: 500,
    retry: false,
    en: () =>
      'The call was sent but its result was lost when a server process ended. It was charged and not sent again; ask anew if you want it repeated.',
    fa: () =>
      'درخواست به مدل فرستاده شد ولی نتیجه‌اش با پایان یافتن ناگهانی یک پردازهٔ سرور از دست رفت. هزینهٔ آن حساب شد و دوباره فرستاده نشد؛ اگر می‌خواهید تکرار شود، خودتان از نو بفرستید.',
  },
})
