/** Why a request about a site is refused. */
export const reasons = {
  otherName: {
    en: 'confirm has to be exactly the name of the site.',
    fa: 'confirm باید دقیقاً نام سایت باشد.',
  },
  slugStays: {
    en: 'a site keeps its slug; leave it out, or make another site.',
    fa: 'slug سایت تغییر نمی‌کند؛ آن را ننویسید یا سایت دیگری بسازید.',
  },
  cloudStays: {
    en: 'a site stays with the app back-end that it was made for; leave cloud_id out, or make another site.',
    fa: 'سایت از آنِ همان بک‌اندی می‌ماند که برایش ساخته شد؛ cloud_id را ننویسید یا سایت دیگری بسازید.',
  },
}
