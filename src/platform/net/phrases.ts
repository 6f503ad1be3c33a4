import type { Localized } from '#platform/errors'

/** Why an address could not be read, for the caller; each text follows a colon. */
export const phrases = {
  bad_url: {
    en: 'it is not a whole web address, names a user or a password, or uses a port that is not for the web.',
    fa: 'نشانی وب کاملی نیست، نام کاربری یا گذرواژه دارد یا درگاه آن برای وب نیست.',
  },
  port: {
    en: 'only the ports 80 and 443 are reached from here.',
    fa: 'از اینجا فقط درگاه‌های ۸۰ و ۴۴۳ در دسترس‌اند.',
  },
  bad_request: {
    en: 'its method, its headers or the length of its body cannot be sent.',
    fa: 'روش، هدرها یا طول بدنهٔ آن فرستادنی نیست.',
  },
  protocol: {
    en: 'only https:// addresses are taken here.',
    fa: 'اینجا فقط نشانی https:// پذیرفته می‌شود.',
  },
  address_not_public: {
    en: 'its host is not on the public internet; the operator of this service can allow networks by net.allow_cidrs.',
    fa: 'میزبان آن در اینترنت عمومی نیست؛ گردانندهٔ سرویس می‌تواند شبکه‌ها را با net.allow_cidrs مجاز کند.',
  },
  dns: {
    en: 'its host name is not known; check the spelling.',
    fa: 'نام میزبان آن شناخته نیست؛ املای آن را بررسی کنید.',
  },
  connect: {
    en: 'its host cannot be reached, or broke off the answer.',
    fa: 'میزبان آن در دسترس نیست یا پاسخ را نیمه‌کاره گذاشت.',
  },
  tls: {
    en: 'its host has no valid certificate for this name.',
    fa: 'میزبان آن گواهی معتبری برای این نام ندارد.',
  },
  timeout: {
    en: 'its host did not answer in time.',
    fa: 'میزبان آن در زمان مجاز پاسخ نداد.',
  },
  too_large: {
    en: 'what it leads to is too large.',
    fa: 'آنچه در آن نشانی است بیش از اندازه بزرگ است.',
  },
  bad_redirect: {
    en: 'it redirects too often, or to where it may not; give the final address.',
    fa: 'بیش از اندازه یا به جای غیرمجاز هدایت می‌کند؛ نشانی نهایی را بدهید.',
  },
  media_type: {
    en: 'what it leads to is of another type than is taken here.',
    fa: 'نوع آنچه در آن نشانی است اینجا پذیرفته نمی‌شود.',
  },
  bad_answer: {
    en: 'its host answered with something that cannot be read.',
    fa: 'پاسخ میزبان آن خواندنی نیست.',
  },
  aborted: {
    en: 'it was called off.',
    fa: 'درخواست آن لغو شد.',
  },
} satisfies Record<string, Localized>
