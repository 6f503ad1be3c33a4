import { declareFailures, type Localized } from '#platform/errors'
import { persian, persianDigits } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    VIDEO_SETTING_NOT_SUPPORTED: { model: string; setting: string; value: string; supported: string[] }
    VIDEO_TOO_EXPENSIVE: { credits: number; maxCredits: number }
    VIDEO_QUEUE_FULL: { running: number; queued: number }
    VIDEO_NOT_READY: Record<string, never>
    VIDEO_EXPIRED: Record<string, never>
    VIDEO_FAILED: { code: string }
  }
}

/**
 * The value with Persian digits for numbers and bounds, such as 8, 1–3 or 4 (guide); values that are typed literally, such as 720p and 16:9, stay.
 */
const persianValue = (value: string): string =>
  /^\d+(–\d+)?( \(\w+\))?$/.test(value) ? persianDigits(value) : value

const persianValues = (joined: string): string => joined.split('، ').map(persianValue).join('، ')

declareFailures({
  VIDEO_SETTING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, setting, value, supported }) =>
      supported.length > 0
        ? `The model \`${model}\` does not take ${setting} ${value} with the other settings; it takes ${supported.join(', ')}.`
        : `The model \`${model}\` takes no ${setting}; leave it out.`,
    fa: ({ model, setting, value, supported }) =>
      supported.length > 0
        ? `مدل \`${model}\` با تنظیم‌های دیگر، برای ${setting} مقدار ${persianValue(value)} را نمی‌پذیرد؛ این‌ها را می‌پذیرد: ${persianValues(supported.join('، '))}.`
        : `مدل \`${model}\` تنظیم ${setting} را نمی‌پذیرد؛ حذفش کنید.`,
  },
  VIDEO_TOO_EXPENSIVE: {
    status: 400,
    en: ({ credits, maxCredits }) =>
      `This video may cost ${credits} credits, and one call may cost at most ${maxCredits} here (studio.max_credits_per_call); ask for a shorter video or a lower resolution.`,
    fa: ({ credits, maxCredits }) =>
      `این ویدیو شاید ${persian(credits)} اعتبار هزینه داشته باشد و هر درخواست در اینجا حداکثر ${persian(maxCredits)} اعتبار (studio.max_credits_per_call)؛ ویدیوی کوتاه‌تر یا با وضوح کمتر بخواهید.`,
  },
  VIDEO_QUEUE_FULL: {
    status: 429,
    en: ({ running, queued }) =>
      `This project has as many open videos as it may have: ${running} are made at once and ${queued} wait. Send this one when another has ended.`,
    fa: ({ running, queued }) =>
      `این پروژه به اندازهٔ سقف خود ویدیوی ناتمام دارد: ${persian(running)} تا هم‌زمان ساخته می‌شوند و ${persian(queued)} تا در صف‌اند. پس از پایان یکی از آن‌ها دوباره بفرستید.`,
  },
  VIDEO_NOT_READY: {
    status: 409,
    retry: true,
    en: () =>
      'The video is not ready yet. Ask for its status until it is completed; ordering it again would cost again.',
    fa: () => 'ویدیو هنوز آماده نیست. وضعیتش را بپرسید تا کامل شود؛ سفارش دوباره هزینهٔ دوباره دارد.',
  },
  VIDEO_EXPIRED: {
    status: 410,
    en: () => 'The file of this video was deleted, or its time is over; it cannot be had any more.',
    fa: () => 'فایل این ویدیو پاک شده یا زمان نگهداری‌اش گذشته است و دیگر در دسترس نیست.',
  },
  VIDEO_FAILED: {
    status: 409,
    retry: false,
    en: ({ code }) => `This video was not made (${code}), so there is nothing to fetch; its status says why.`,
    fa: ({ code }) => `این ویدیو ساخته نشد (${code}) و چیزی برای دریافت نیست؛ علت در وضعیت آن آمده است.`,
  },
})

/** The error code of a job: why a video was not made, or does not exist any more. */
export type VideoErrorCode =
  | 'CONTENT_REFUSED'
  | 'UPSTREAM_FAILED'
  | 'TIMED_OUT'
  | 'EXPIRED'
  | 'PAYER_REFUSED'
  | 'INTERNAL'

const sentences: Record<VideoErrorCode, Localized> = {
  CONTENT_REFUSED: {
    en: 'The model refused to make this video. It costs nothing; change the prompt or the pictures.',
    fa: 'مدل از ساختن این ویدیو خودداری کرد. هزینه‌ای ندارد؛ متن یا تصویرها را تغییر دهید.',
  },
  UPSTREAM_FAILED: {
    en: 'The upstream did not make this video. It costs nothing.',
    fa: 'بالادست این ویدیو را نساخت. هزینه‌ای ندارد.',
  },
  TIMED_OUT: {
    en: 'The video did not come in time. It costs nothing.',
    fa: 'ویدیو به‌موقع نرسید. هزینه‌ای ندارد.',
  },
  EXPIRED: {
    en: 'The file of this video was deleted, or its time is over.',
    fa: 'فایل این ویدیو پاک شده یا زمان نگهداری‌اش گذشته است.',
  },
  PAYER_REFUSED: {
    en: 'The key that ordered this video was revoked or restricted before its turn came. It costs nothing.',
    fa: 'کلیدی که این ویدیو را سفارش داد پیش از رسیدن نوبت باطل یا محدود شد. هزینه‌ای ندارد.',
  },
  INTERNAL: {
    en: 'This server failed over this video. It costs nothing; tell the operator of this service.',
    fa: 'این سرور هنگام این ویدیو دچار خطا شد. هزینه‌ای ندارد؛ به گردانندهٔ سرویس خبر دهید.',
  },
}

/** The sentence that people read for the error of a job. */
export const sentenceOf = (code: VideoErrorCode): Localized => sentences[code]
