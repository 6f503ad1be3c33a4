/** Notices that visitors of a site see in place of its pages. Visitors know nothing of Kherad, and the site may be in any language. */
import type { Localized } from '#platform/errors'

export interface NoticeText {
  title: Localized
  text: Localized
}

export const noticePhrases = {
  malformed: {
    title: { fa: 'نشانی درست نیست', en: 'This address cannot be read' },
    text: {
      fa: 'در این نشانی علامت درصدی هست که معنایی ندارد. آن را بررسی کنید.',
      en: 'It has a percent sign that stands for nothing. Check the address.',
    },
  },
  missing: {
    title: { fa: 'این صفحه پیدا نشد', en: 'This page was not found' },
    text: {
      fa: 'شاید جابه‌جا یا حذف شده باشد. نشانی را بررسی کنید یا از صفحهٔ نخست سایت آغاز کنید.',
      en: 'It may have been moved or deleted. Check the address, or begin at the front page of the site.',
    },
  },
  unpublished: {
    title: { fa: 'این سایت هنوز منتشر نشده است', en: 'This site has not been published yet' },
    text: {
      fa: 'چند دقیقهٔ دیگر دوباره سر بزنید.',
      en: 'Come back in a few minutes.',
    },
  },
  refusedType: {
    title: { fa: 'این نشانی یک صفحهٔ HTML است', en: 'This address is a page in HTML' },
    text: {
      fa: 'درخواست شما HTML نمی‌پذیرد (هدر Accept) و این نشانی به شکل دیگری نیست.',
      en: 'Your request refuses HTML by its Accept header, and there is no other form of this address.',
    },
  },
  method: {
    title: { fa: 'این کار اینجا ممکن نیست', en: 'This cannot be done here' },
    text: {
      fa: 'این سایت فقط صفحه‌ها و فایل‌ها را نشان می‌دهد و چیزی نمی‌پذیرد.',
      en: 'This site only shows pages and files; nothing can be sent to it.',
    },
  },
  usedUp: {
    title: {
      fa: 'سهم امروز این سایت به پایان رسیده است',
      en: 'This site has used up its allowance for today',
    },
    text: {
      fa: 'از ساعت ۳:۳۰ بامداد به وقت تهران (۰۰:۰۰ به وقت جهانی) دوباره باز می‌شود.',
      en: 'It opens again at 00:00 UTC (3:30 in Tehran).',
    },
  },
  takenDown: {
    title: { fa: 'این سایت بسته شده است', en: 'This site has been closed' },
    text: {
      fa: 'گردانندهٔ این سرور آن را بسته است.',
      en: 'The operator of this server has closed it.',
    },
  },
  unavailable: {
    title: { fa: 'این سایت اکنون در دسترس نیست', en: 'This site is not available right now' },
    text: {
      fa: 'مشکلی گذرا پیش آمده است؛ کمی بعد دوباره سر بزنید.',
      en: 'Something went wrong for a moment; try again shortly.',
    },
  },
} satisfies Record<string, NoticeText>
