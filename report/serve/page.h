/* The files of the dashboard, embedded when it is built; it shares common.js and report.css with reports. */
#ifndef REPORT_SERVE_PAGE_H
#define REPORT_SERVE_PAGE_H

#include "report/page.h"

extern const struct report_page_file serve_page_html;
extern const struct report_page_file serve_page_css;
extern const struct report_page_file serve_page_js;

#endif
