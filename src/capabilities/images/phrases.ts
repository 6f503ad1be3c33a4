/** Why a picture is refused. */
export const reasons = {
  noAddress: {
    en: 'url is not offered: pictures are not kept at an address; send response_format b64_json, or leave it out.',
    fa: 'url ارائه نمی‌شود: تصویرها در نشانی‌ای نگه داشته نمی‌شوند؛ response_format را b64_json بفرستید یا حذف کنید.',
  },
  noStream: {
    en: 'this route is not streamed: leave it out, or use /v1/responses, which tells how a picture goes on.',
    fa: 'این مسیر جریانی نیست: حذفش کنید، یا از /v1/responses بگیرید که پیشرفت تصویر را می‌گوید.',
  },
  blank: { en: 'must say what to draw.', fa: 'باید بگوید چه کشیده شود.' },
}
