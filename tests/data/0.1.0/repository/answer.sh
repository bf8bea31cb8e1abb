sed -n "s/^$1: //p" answers.txt
