import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    SET_ASIDE: Record<string, never>
  }
}

declareFailures({
  SET_ASIDE: {
    status: 500,
    retry: false,
    en: () =>
      'The server process ended twice while it worked on this, so it was set aside and is not tried again by itself. Ask for less at a time, or tell the operator.',
    fa: () =>
      'پردازهٔ سرور دو بار هنگام این کار از کار افتاد؛ کار کنار گذاشته شد و خودبه‌خود تکرار نمی‌شود. کار کوچک‌تری بخواهید یا به گردانندهٔ سرور خبر دهید.',
  },
})
